-- The server's time: at the head of each script that declares the keys of a lock.
local time = redis.call('TIME')
local us = time[1] * 1000000 + time[2]
local ms = math.floor(us / 1000)
