-- The server's time: in front of the prologue, and of whatever needs nothing else.
local time = redis.call('TIME')
local us = time[1] * 1000000 + time[2]
local ms = math.floor(us / 1000)
