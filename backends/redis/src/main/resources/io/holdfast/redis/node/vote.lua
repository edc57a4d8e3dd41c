-- Gives the node's vote for a lock to a holder. A repeat finds the same number, and extends the vote.
-- KEYS[1] record, see prologue.lua
-- KEYS[2] lock: string, the holder
-- KEYS[3] fence: string "number number holder purpose", the lock's count and whom it was raised for
-- KEYS[4] callers: sorted set, channel of one who waits -> its ticket
-- KEYS[5] reserved: string, the channel of the one who was told that it may ask now
-- KEYS[6] ballot: string, the number that the newest ballot of the lock's holder proposed
-- ARGV[1] run id, see prologue.lua
-- ARGV[2] holder
-- ARGV[3] lease in ms
-- ARGV[4] proposed number
-- ARGV[5] server ms after which the request is refused: its sender has given up
-- ARGV[6] the caller's channel
-- ARGV[7] for how many ms those who wait are remembered
-- ARGV[8] ticket, the same at all nodes, so that they agree on who is next; 0: it does not wait
-- ARGV[9] longest lease of the quorum in ms
-- ARGV[10] generation of the configuration that the caller goes by
-- ARGV[11] purpose
-- Reply {'GRANTED', us, number, epoch}
--    or {'HELD', us, ms until it ends (-1: never), holder or ''}
--    or {'LOST', us} or {'LATE', us} or {'OTHER', us} if the node goes by another configuration
--    or {'RESTS', us, ms until it votes again}
local holder, lease, channel, waits = ARGV[2], tonumber(ARGV[3]), ARGV[6], ARGV[8] ~= '0'
if not member then return {'LOST', int(us)} end
if ms > tonumber(ARGV[5]) then return {'LATE', int(us)} end
if generation ~= ARGV[10] then return {'OTHER', int(us)} end
if ms < rest then return {'RESTS', int(us), int(rest - ms)} end

local function held(by, remaining)
  if waits then
    redis.call('ZADD', KEYS[4], 'NX', ARGV[8], channel)
    redis.call('PEXPIRE', KEYS[4], ARGV[7])
  end
  return {'HELD', int(us), remaining, by}
end

local current = redis.call('GET', KEYS[2])
local last, owner = string.match(redis.call('GET', KEYS[3]) or '', '^%d+ (%d+) (%S+)')
if current and current ~= holder then return held(current, redis.call('PTTL', KEYS[2])) end
if current and owner == holder and tonumber(last) >= floor then
  redis.call('PEXPIRE', KEYS[2], lease)
  local ballot = math.max(tonumber(redis.call('GET', KEYS[6]) or 0), tonumber(ARGV[4])) -- An earlier one may come late.
  redis.call('SET', KEYS[6], int(ballot), 'PX', lease)
  return {'GRANTED', int(us), last, epoch}
end
local reserved = redis.call('GET', KEYS[5])
if reserved and reserved ~= channel then return held('', redis.call('PTTL', KEYS[5])) end
local number = math.max((last and math.max(tonumber(last), floor) or newest) + 1, tonumber(ARGV[4]))
redis.call('SET', KEYS[2], holder, 'PX', lease)
redis.call('SET', KEYS[6], ARGV[4], 'PX', lease)
remember(KEYS[3], number, lease, holder, ARGV[11])
if reserved then redis.call('DEL', KEYS[5]) end
if waits then redis.call('ZREM', KEYS[4], channel) end
if tonumber(ARGV[9]) > longest then redis.call('HSET', KEYS[1], 'longest', ARGV[9]) end
return {'GRANTED', int(us), int(number), epoch}
