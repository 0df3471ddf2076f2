import { EVERY_CHANGE } from "../stacks/every-change";
import { deployedEnvironments } from "./engine/environment-suite";

// dev has a test of its own. The others are deployed every night: test/nightly/environments.
deployedEnvironments(EVERY_CHANGE.filter((name) => name !== "dev"));
