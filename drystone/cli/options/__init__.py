"""The options of the commands; their names and help texts are what people see."""
