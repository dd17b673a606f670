"""What every room stands on: time, processes, bytes on a stream, refusals, graph algorithms."""
