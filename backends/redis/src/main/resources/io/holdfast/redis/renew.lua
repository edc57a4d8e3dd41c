-- Extends exclusive holds. Each is one key and no satellite: that works while its slot migrates.
-- KEYS[n] lock
-- ARGV[2n-1] holder
-- ARGV[2n] lease in ms
-- Reply {us, for each: 1 renewed, 0 gone, -1 taken; if all are renewed nothing}
local call = redis.call -- Found faster, some hundred times.
local time = call('TIME')
local us = string.format('%.0f', tonumber(time[1]) * 1000000 + tonumber(time[2]))
local current = call('MGET', unpack(KEYS)) -- Half of the time of as many calls.
local lost, reply = {}, {us}
for i, lock in ipairs(KEYS) do
  if current[i] == ARGV[2 * i - 1] then
    call('PEXPIRE', lock, ARGV[2 * i])
  else
    lost[i] = current[i] and -1 or 0
  end
end
if next(lost) then
  for i = 1, #KEYS do reply[i + 1] = lost[i] or 1 end
end
return reply
