import { expect, test } from "vitest";
import { withoutComments } from "../../command/inline-code/follow-code.ts";

test.each([
  ["python3", "a # b\nc", "a  \nc"],
  ["python3", "print('# b') # c", "print('# b')  "],
  ["python3", 'x("#")', 'x("#")'],
  ["ruby", "=begin\nx\n=end\ny", " \ny"],
  ["ruby", 'puts "a#{b}" # c', 'puts "a#{b}"  '],
  ["perl", "s#a#b#; unlink 'x'", "s#a#b#; unlink 'x'"],
  ["perl", "s/\\/#/x/; unlink 'x'", "s/\\/#/x/; unlink 'x'"],
  ["lua", "--[[ a ]] b -- c", "  b  "],
  ["php", "a(); // b", "a();  "],
  ["node", "x(/[//]/); y()", "x(/[//]/); y()"],
  ["unknown", "a # b", "a # b"],
])("%s: %j", (program, code, expected) => expect(withoutComments(code, program)).toBe(expected));
