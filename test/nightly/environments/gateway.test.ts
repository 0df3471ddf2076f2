import { programmedGateways } from "../../e2e/gateway/programmed-suite";
import { NIGHTLY } from "../../stacks/every-change";

programmedGateways(NIGHTLY);
