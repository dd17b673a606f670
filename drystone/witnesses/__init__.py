"""Evidence that other tools read: witnesses in the format of SV-COMP, version 2.0."""
