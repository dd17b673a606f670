"""What a run of blocks did: counted, recorded, told to people."""
