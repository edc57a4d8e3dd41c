-- Ends several exclusive holds for whose locks nobody waits.
-- All others stay as they are: each is ended by a call of its own. See release.lua
-- KEYS[2n-1] lock, KEYS[2n] queue
-- ARGV[n] holder
-- Reply {for each: 1: it held the lock; 0: not in the usual case}
--    or 1: all held their locks
local locks, queues = {}, {}
for i = 1, #ARGV do locks[i], queues[i] = KEYS[2 * i - 1], KEYS[2 * i] end
local current = redis.call('MGET', unpack(locks))
local waited = redis.call('EXISTS', unpack(queues)) > 0

local reply, ended = {}, {}
for i = 1, #ARGV do
  local usual = current[i] == ARGV[i] and not (waited and redis.call('EXISTS', queues[i]) == 1)
  reply[i] = usual and 1 or 0
  if usual then ended[#ended + 1] = locks[i] end
end
if #ended > 0 then redis.call('DEL', unpack(ended)) end
return #ended == #ARGV and 1 or reply
