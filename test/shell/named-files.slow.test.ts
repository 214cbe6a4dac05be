import { testCost } from "./named-files-cost.ts";

testCost([
  "sh -c 'sh -c \"'",
  "d=$d/x; sh $d; ",
  "for f in a b; do cd $f; sh x.sh; ",
  "{a,b}{c,d}",
  "`echo ",
  "eval '",
  "$(",
  "a=(b c); ",
]);
