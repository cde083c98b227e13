pja[1m
location