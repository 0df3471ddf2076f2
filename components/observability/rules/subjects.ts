import { absent } from "./absent";
import { autoscaling } from "./autoscaling";
import { clusterCertificates } from "./cluster-certificates";
import { cost } from "./cost";
import { cpuQueue } from "./cpu-queue";
import { errors } from "./errors";
import { externalModels } from "./external";
import { gateway } from "./gateway";
import { gpu } from "./gpu";
import { machines } from "./machines";
import { mesh } from "./mesh";
import { models } from "./models";
import { nodes } from "./nodes";
import { objectives } from "./objectives";
import { platform } from "./platform";
import { quotas } from "./quotas";
import { registrations } from "./registrations";
import { replicas } from "./replicas";
import { serving } from "./serving";
import { stalled } from "./stalled";
import type { RuleSubject } from "./types";

/** Rules of every platform; add-ons bring theirs. */
export const RULE_SUBJECTS: readonly RuleSubject[] = [
  absent,
  models,
  replicas,
  autoscaling,
  serving,
  stalled,
  nodes,
  registrations,
  gpu,
  machines,
  cpuQueue,
  errors,
  objectives,
  cost,
  gateway,
  externalModels,
  quotas,
  mesh,
  platform,
  clusterCertificates,
];
