-- Extends exclusive holds. Each is one key and no satellite: that works while its slot migrates.
-- KEYS[n] lock
-- ARGV[n] holder
-- ARGV[count+n] lease in ms; left out: as that of the one before
-- Reply {us, for each: 1 renewed, 0 gone, -1 taken; if all are renewed nothing}
local call, KEYS, ARGV, count = redis.call, KEYS, ARGV, #KEYS -- Found faster, some hundred times.
local time = call('TIME')
local us = tonumber(time[1]) * 1000000 + tonumber(time[2])
local current = call('MGET', unpack(KEYS)) -- Half of the time of as many calls.
local lost, reply = {}, {string.format('%.0f', us)}
local lease, ends
for i = 1, count do
  local own = ARGV[count + i]
  if own and own ~= lease then
    lease, ends = own, string.format('%.0f', math.ceil(us / 1000) + own)
  end
  if current[i] == ARGV[i] then
    call('PEXPIREAT', KEYS[i], ends) -- Not PEXPIRE, which the server would rewrite into this, each time.
  else
    lost[i] = current[i] and -1 or 0
  end
end
if next(lost) then
  for i = 1, count do reply[i + 1] = lost[i] or 1 end
end
return reply
