import { raise } from "../faults.ts";
import { type FilterName, isFilterName } from "../syntax/names.ts";
import type { Filter } from "./filter.ts";
import { NUMBER_FILTERS } from "./number-filters.ts";
import { SEQUENCE_FILTERS, selectFilters } from "./sequence-filters.ts";
import { testNamed } from "./tests.ts";
import { TEXT_FILTERS } from "./text-filters.ts";
import { WEB_FILTERS } from "./web-filters.ts";

export const filterNamed = (name: string): Filter =>
  isFilterName(name) ? FILTERS[name] : raise("TemplateRuntimeError", `there is no filter "${name}"`);

const FILTERS: Readonly<Record<FilterName, Filter>> = {
  ...NUMBER_FILTERS,
  ...SEQUENCE_FILTERS,
  ...TEXT_FILTERS,
  ...WEB_FILTERS,
  ...selectFilters({ filter: filterNamed, test: testNamed }),
};
