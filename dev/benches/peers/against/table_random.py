"""The table's rows of random numbers: as many of each kind, from generators that are ready."""
