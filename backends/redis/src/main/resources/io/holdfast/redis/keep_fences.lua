-- Keeps the records of tokens whose holds are held for long: renewals touch the key of the lock alone.
-- KEYS[n] fence
-- ARGV[n] holder
-- ARGV[count+1] lease in ms, the longest of them
-- Reply {how many belong to these holders}
local DAY, call, count, found = 86400000, redis.call, #KEYS, 0
local kept = ARGV[count + 1] + DAY
local records = call('MGET', unpack(KEYS))
for i = 1, count do
  if records[i] and string.match(records[i], '^%d+ %d+ (%S+)') == ARGV[i] then
    found = found + 1
    -- Never less: a token that is ahead of the clock is remembered for longer.
    if call('PTTL', KEYS[i]) < kept then call('PEXPIRE', KEYS[i], string.format('%.0f', kept)) end
  end
end
return {found}
