/**
 * What comes before each file of `npm test`. One module: vitest fetches and compiles each setup file again for every test file, and keeps
 * what it imports.
 */
// In this order: what is left behind is measured from what the others set.
import "./same-everywhere";
import "./property-runs";
import { refuseUnknownPrograms } from "./known-programs";
import { expectNothingLeft } from "./leaves-nothing";

refuseUnknownPrograms();
expectNothingLeft();
