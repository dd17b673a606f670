"""Answers to one question: can the error be reached? One module per way to find out."""
