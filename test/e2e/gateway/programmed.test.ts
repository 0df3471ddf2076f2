import { EVERY_CHANGE } from "../../stacks/every-change";
import { programmedGateways } from "./programmed-suite";

// The others' every night: test/nightly/environments.
programmedGateways(EVERY_CHANGE);
