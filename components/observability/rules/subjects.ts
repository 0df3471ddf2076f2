import { gateway } from "./gateway";
import { gpu } from "./gpu";
import { modelControl } from "./model-control";
import { models } from "./models";
import { platform } from "./platform";
import { serving } from "./serving";
import type { RuleSubject } from "./types";

/** All rules of the platform. A new subject is one file and one row here. */
export const RULE_SUBJECTS: readonly RuleSubject[] = [models, serving, gpu, gateway, modelControl, platform];
