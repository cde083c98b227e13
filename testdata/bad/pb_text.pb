dims: 2
data_type: 1
float_data: 1
float_data: 2
