import { deployedEnvironments } from "../../e2e/engine/environment-suite";
import { NIGHTLY } from "../../stacks/every-change";

deployedEnvironments([...NIGHTLY, "aws-prod"]);
