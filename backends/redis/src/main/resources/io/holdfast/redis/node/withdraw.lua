-- Takes back a vote that was of no use, and tells nobody. It may come late: the holder has asked again meanwhile, and that
-- vote stays. A vote without a ballot was renewed, so that it was of use.
-- KEYS[1] record, see prologue.lua
-- KEYS[2] lock
-- KEYS[3] ballot, see vote.lua
-- ARGV[1] run id, see prologue.lua
-- ARGV[2] holder
-- ARGV[3] the number that the withdrawn ballot proposed
-- Reply {1 if it had the vote by this ballot or an earlier one, us}
local ballot = redis.call('GET', KEYS[3])
local had = redis.call('GET', KEYS[2]) == ARGV[2] and ballot and tonumber(ballot) <= tonumber(ARGV[3])
if had then redis.call('DEL', KEYS[2], KEYS[3]) end
return {had and 1 or 0, int(us)}
