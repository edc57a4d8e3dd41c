-- What the verbs share: put in front of each script that declares these keys, after time.lua and current.lua.
-- All keys of a lock are in one slot.
-- KEYS[1] lock: string. Exclusive: the holder. Otherwise a marker, so that it stands whenever anybody holds the lock
-- KEYS[2] fence: string "first last holder purpose", the newest block of tokens and whom it was minted for
-- KEYS[3] queue: sorted set, entry -> ticket
-- KEYS[4] alive: sorted set, entry -> until when it is credible, in server ms
-- KEYS[5] holders: sorted set, holder -> end of its hold in server ms. Shared holds and permits only
-- KEYS[6] weights: hash, holder -> "count first last purpose", and '=' -> sum of the counts
-- entry: "holder channel lease passes mode purpose", constant for one acquisition
-- mode: exclusive, shared, or permits:count/limit
local lock, fence, queue, alive, holders, weights = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6]
local DAY, BATCH, GRANTS = 86400000, 32, 8
local SHARED, PERMITS = 'holdfast:shared', 'holdfast:permits:'

-- All digits: tostring and .. would round a token.
local function int(number)
  return string.format('%.0f', number)
end

local function is_marker(value)
  return value and (value == SHARED or string.sub(value, 1, #PERMITS) == PERMITS)
end

-- An entry, taken apart. marker is nil for an exclusive one, limit for all but permits.
local function parse(entry)
  local holder, channel, lease, passes, mode, purpose =
    string.match(entry, '^(%S+) (%S+) (%d+) (%d+) (%S+) ?(.*)$')
  local count, limit = string.match(mode, '^permits:(%d+)/(%d+)$')
  local marker = limit and PERMITS .. limit or mode == 'shared' and SHARED or nil
  return {entry = entry, holder = holder, channel = channel, lease = tonumber(lease), passes = tonumber(passes),
          marker = marker, count = tonumber(count or 1), limit = tonumber(limit), purpose = purpose}
end

local function record(...)
  return (string.gsub(table.concat({...}, ' '), ' $', ''))
end

-- The plain key, and what stands beside it, live exactly as long as the longest hold.
local function settle()
  local last = redis.call('ZREVRANGE', holders, 0, 0, 'WITHSCORES')[2]
  if last then
    for _, key in ipairs({lock, holders, weights}) do redis.call('PEXPIREAT', key, last) end
  else
    redis.call('DEL', lock, holders, weights)
    current = false
  end
end

-- Ends these holds. Returns how many there were.
local function drop(ended)
  local found, sum = 0, 0
  for _, kept in ipairs(redis.call('HMGET', weights, unpack(ended))) do
    if kept then found, sum = found + 1, sum + string.match(kept, '^%d+') end
  end
  redis.call('ZREM', holders, unpack(ended))
  if found > 0 then
    redis.call('HDEL', weights, unpack(ended))
    redis.call('HINCRBY', weights, '=', int(-sum))
  end
  return found
end

-- Ends what has run out. The plain key alone says whether anybody holds: an exclusive hold needs nothing here.
local function prune()
  if not is_marker(current) then return end
  local ended = redis.call('ZRANGEBYSCORE', holders, '-inf', int(ms), 'LIMIT', 0, 256)
  if #ended > 0 then drop(ended) end
  if #ended > 0 or redis.call('EXISTS', holders) == 0 then settle() end
end

local function fits(asking)
  if not current then return true end
  if current ~= asking.marker then return false end
  return not asking.limit
    or tonumber(redis.call('HGET', weights, '=') or '0') + asking.count <= asking.limit
end

-- The next tokens: greater than all before, and than any that were forgotten while the clock went on.
local function mint(passes)
  local newest = redis.call('GET', fence)
  local last = newest and tonumber(string.match(newest, '^%d+ (%d+)')) or 0
  local first = math.max(last + 1, us)
  return first, first + passes
end

-- The record outlives its token's time by a day: a clock that was ahead once must not be forgotten.
local function remember(first, last, lease, ...)
  redis.call('SET', fence, record(int(first), int(last), ...),
             'PXAT', int(math.max(math.ceil(last / 1000), ms + lease) + DAY))
end

-- Whoever grants shared holds or permits settles them, all at once.
local function grant(asking)
  local first, last = mint(asking.passes)
  if asking.marker then
    if not current then
      redis.call('SET', lock, asking.marker, 'PX', int(asking.lease))
      redis.call('DEL', holders, weights) -- Left by somebody who deleted the plain key.
    end
    redis.call('ZADD', holders, int(ms + asking.lease), asking.holder)
    redis.call('HSET', weights, asking.holder, record(asking.count, int(first), int(last), asking.purpose))
    redis.call('HINCRBY', weights, '=', asking.count)
  else
    redis.call('SET', lock, asking.holder, 'PX', int(asking.lease))
  end
  current = asking.marker or asking.holder
  remember(first, last, asking.lease, current, asking.purpose)
  return first, last
end

-- In Cluster a channel has its lock's slot, by a hash tag in front.
local function is_sharded(channel)
  return string.sub(channel, 1, 1) == '{'
end

-- Asked before the grant: PUBLISH reaches subscribers elsewhere that it does not count.
local function is_live(asking)
  if tonumber(redis.call('ZSCORE', alive, asking.entry) or '0') <= ms then return false end
  return redis.call('PUBSUB', is_sharded(asking.channel) and 'SHARDNUMSUB' or 'NUMSUB', asking.channel)[2] > 0
end

-- The grant stands whether or not the message gets through: its waiter asks again.
local function tell(channel, message)
  if is_sharded(channel) then
    redis.pcall('SPUBLISH', channel, message)
  else
    redis.pcall('PUBLISH', channel, message)
  end
end

local function leave(entry)
  redis.call('ZREM', queue, entry)
  redis.call('ZREM', alive, entry)
end

-- Serves the queue from its head while the head fits, and drops the dead: so many at a time that nobody else waits long.
-- taken: its head, if that was taken out of the queue before.
-- Returns the tokens of the caller's own entry if it was served, and whether there is more to do.
local function pump(own, taken)
  local first, last
  local grants = 0
  local function serve()
    local entry = taken or redis.call('ZRANGE', queue, 0, 0)[1]
    taken = nil
    if not entry then return false end
    local head = parse(entry)
    local live = entry == own or is_live(head)
    if live and not fits(head) then return false end
    leave(entry)
    if not live then return true end
    local from, to = grant(head)
    grants = grants + 1
    if entry == own then
      first, last = from, to
    else
      tell(head.channel, table.concat({'granted', head.holder, int(from), int(to), int(us), lock}, ' '))
    end
    return head.marker ~= nil
  end
  local more = true
  for _ = 1, BATCH do
    more = serve()
    if not more or grants == GRANTS then break end
  end
  if grants > 0 and is_marker(current) then settle() end
  return first, last, more
end
