-- Who holds the lock: see prologue.lua, in front of which it stands.
local current = redis.call('GET', KEYS[1])
