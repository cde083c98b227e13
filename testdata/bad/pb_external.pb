j
location../../etc/passwdp