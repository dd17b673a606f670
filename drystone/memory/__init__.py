"""What pointers mean: points-to analysis, regions, data flow, arrays."""
