"""Programs to programs: each pass keeps the answer, or says which answers it keeps."""
