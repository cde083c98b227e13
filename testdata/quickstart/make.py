#!/usr/bin/python3
"""Writes the two arrays of the quick start with NumPy. Running this again changes no byte:
    /usr/bin/python3 testdata/quickstart/make.py
"""

import pathlib

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent

# Temperatures: a row for each of three rooms, a column for each of four hours.
DATA = [[18.5, 19.25, 21.0, 20.5], [15.0, 15.5, 17.75, 17.0], [22.5, 22.0, 23.5, 24.25]]
# (room, hour) of the readings to take.
INDICES = [[0, 2], [2, 3], [1, -4]]

np.save(HERE / "data.npy", np.array(DATA, dtype=np.float32))
np.save(HERE / "indices.npy", np.array(INDICES, dtype=np.int64))
