import { testFewDescriptors } from "./few-descriptors.ts";

testFewDescriptors(Array.from({ length: 14 }, (_, index) => 19 + index));
