"""Certificates: checked without the engines that made them, and as files."""
