"""Tests of the distributed analyses of Kettl 2022."""
