import { TEXTS, testByteForByte } from "./byte-for-byte.ts";

testByteForByte(TEXTS);
