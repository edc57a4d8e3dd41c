-- Extends shared holds and permits.
-- KEYS[3n-2] lock
-- KEYS[3n-1] holders
-- KEYS[3n] weights
-- ARGV[n] holder
-- ARGV[count+n] lease in ms; left out: as that of the one before
-- Reply {us, for each: 1 renewed, 0 gone, -1 taken}
local time = redis.call('TIME')
local us = tonumber(time[1]) * 1000000 + tonumber(time[2])
local ms = math.floor(us / 1000)
local reply = {string.format('%.0f', us)}
local count, lease = #KEYS / 3
for i = 1, count do
  lease = ARGV[count + i] or lease
  local lock, holders, weights = KEYS[3 * i - 2], KEYS[3 * i - 1], KEYS[3 * i]
  local current = redis.call('GET', lock)
  local shared = current and string.sub(current, 1, 9) == 'holdfast:'
  local ends = shared and tonumber(redis.call('ZSCORE', holders, ARGV[i]) or '0') or 0
  if ends > ms then
    redis.call('ZADD', holders, string.format('%.0f', ms + lease), ARGV[i])
    local last = redis.call('ZREVRANGE', holders, 0, 0, 'WITHSCORES')[2]
    for _, key in ipairs({lock, holders, weights}) do redis.call('PEXPIREAT', key, last) end
    reply[i + 1] = 1
  else
    reply[i + 1] = current and not shared and -1 or 0
  end
end
return reply
