-- The usual case of acquire when the lock is held: an exclusive request, for the first time, behind an exclusive hold.
-- Stands before the prologue, so that what that defines costs nothing here. KEYS and ARGV: see acquire.lua
if current and string.sub(current, 1, 9) ~= 'holdfast:' and ARGV[3] ~= '0' and ARGV[4] == '0'
    and ms <= tonumber(ARGV[2]) then
  local holder = string.match(ARGV[1], '^(%S+) %S+ %d+ %d+ exclusive')
  if holder and holder ~= current then
    local tail = redis.call('ZREVRANGE', KEYS[3], 0, 0, 'WITHSCORES')[2]
    local ticket = math.max(us, tonumber(tail or '0') + 1)
    if redis.call('ZADD', KEYS[3], 'NX', ticket, ARGV[1]) == 1 then -- 0: a repeat, whose first reply was lost.
      local credible = tonumber(ARGV[3])
      redis.call('ZADD', KEYS[4], ms + credible, ARGV[1])
      if redis.call('PTTL', KEYS[3]) < credible then -- The other has the same expiry: both are moved together.
        redis.call('PEXPIRE', KEYS[3], credible)
        redis.call('PEXPIRE', KEYS[4], credible)
      end
      if tail then return {'HELD', us, -1, ticket, 1, 0} end
      local owner = string.match(redis.call('GET', KEYS[2]) or '', '^%d+ %d+ (%S+)')
      return {'HELD', us, redis.call('PTTL', KEYS[1]), ticket, 0, owner == current and 0 or 1}
    end
  end
end
