/** `npm run smoke -- <environment>`: waits for a platform, and checks models by stack outputs. */
import { lookup } from "node:dns/promises";
import { ISSUED_SECRET } from "../../../names/gateway";
import { GATEWAY_NAMESPACE } from "../../../names/namespaces";
import { projectRoot } from "../../../names/project-root";
import { type EnvironmentRun, runEnvironment } from "../../../offline/environment";
import { firstStartSeconds } from "../../../planner/first-start";
import { ClusterApi } from "../../cluster/cluster-api";
import { NotAsked } from "../../cluster/failure";
import { clusterContext, type KubeconfigSource } from "../../cluster/kubeconfig";
import { type CommandIo, EXIT } from "../../io";
import { Progress } from "../../progress";
import { openEnvironment } from "../../read-environment";
import { stackOutputs } from "../../stack-outputs";
import { askStatus } from "../../status/ask";
import { type Expected, expectedOf } from "../../status/expected";
import type { ModelStatus } from "../../status/result";
import { toldMistakes } from "../../told-mistakes";
import { SMOKE_USAGE, type StackSmokeArguments } from "../arguments";
import type { Place } from "../http";
import { observer } from "../observers";
import { hasFailed, type SmokeReport } from "../result";
import { smoke } from "../run";
import { gatewaySecret, proofIn } from "./gateway-access";
import { type PlatformOutputs, platformOutputs } from "./outputs";
import { readinessOf } from "./readiness";
import { type StackSmokeReport, stackSmokeJson, stackSmokeText } from "./report";
import { type Target, type Targets, targetsOf, type Unasked } from "./targets";
import { waitUntilReady } from "./wait";

/** Exit status. */
export async function smokeOfStack(args: StackSmokeArguments, io: CommandIo): Promise<number> {
  const opening = openEnvironment(args, SMOKE_USAGE, io);
  if ("status" in opening) {
    return opening.status;
  }
  const { environment: name } = args;
  const progress = new Progress(io, `checking ${name}`);
  const report = await toldMistakes(io, progress, async () => {
    const run = await runEnvironment(opening.environment);
    if (run.environment.scope === "cluster") {
      return ended(name, "checked", { notes: ["scope: cluster makes no platform: there is nothing to check"] });
    }
    const found = await outputsOf(name);
    return "problem" in found
      ? ended(name, "failed", { problems: [found.problem] })
      : checked(run, found, args, { io, progress });
  });
  if (report === undefined) {
    return EXIT.badInput;
  }
  io.out(args.json ? stackSmokeJson(report) : stackSmokeText(report, io.color));
  return report.outcome === "failed" ? EXIT.refused : EXIT.ok;
}

async function outputsOf(stack: string): Promise<PlatformOutputs | { readonly problem: string }> {
  const found = await stackOutputs(stack, { cwd: projectRoot(), env: process.env });
  if ("problem" in found) {
    return { problem: `the outputs of the stack ${stack} cannot be read: ${found.problem}` };
  }
  const parsed = platformOutputs.safeParse(found.outputs);
  return parsed.success
    ? parsed.data
    : { problem: `the stack ${stack} has no outputs of a platform: pulumi up has not ended well` };
}

interface Watching {
  readonly io: CommandIo;
  readonly progress: Progress;
}

async function checked(
  run: EnvironmentRun,
  outputs: PlatformOutputs,
  args: StackSmokeArguments,
  { io, progress }: Watching,
): Promise<StackSmokeReport> {
  const { plan, environment } = run;
  const source: KubeconfigSource = outputs.kubeconfig === undefined ? {} : { text: outputs.kubeconfig };
  const allowed = firstStartSeconds(plan, environment.storage.registryGbps);
  const seconds = args.waitMinutes === undefined ? allowed : args.waitMinutes * 60;
  const expected = patient(expectedOf(run), seconds);
  // States only: logs would load the kubelets with every poll.
  const asking = { cluster: environment.cluster, source, env: process.env, logs: false };
  let models: readonly ModelStatus[] = [];
  const readiness = await waitUntilReady({
    seconds,
    ask: async () => {
      const asked = await askStatus(expected, asking, () => {});
      models = asked.models;
      return readinessOf(asked);
    },
    onProgress: waitProgress(io, progress, seconds),
  });
  if (readiness.kind === "starting") {
    return ended(args.environment, "starting", {
      notes: [
        `Not checked yet: ${readiness.what}. The plan allows ${minutes(allowed)} for the first start, downloads included.`,
      ],
    });
  }
  if (readiness.kind !== "ready") {
    return ended(args.environment, "failed", { problems: readiness.problems });
  }
  progress.stop();
  const { asked, unasked } = targetsOf(plan, outputs, models);
  const chosen = args.model === undefined ? asked : asked.filter(({ model }) => model === args.model);
  if (args.model !== undefined && chosen.length === 0) {
    const names = asked.map(({ model }) => model).join(", ") || "none";
    return ended(args.environment, "failed", { problems: [`--model ${args.model} is not a model to check: ${names}`] });
  }
  return askModels(run, { asked: chosen, unasked }, { args, consumerSecrets: outputs.consumerSecrets, source, io });
}

/** A pod may wait for a download or image first: the whole start's time counts. */
function patient(expected: Expected, seconds: number): Expected {
  return { ...expected, models: expected.models.map((model) => ({ ...model, startupBudget: seconds })) };
}

/** Interval of log lines. */
const LOG_SECONDS = 30;

function waitProgress(io: CommandIo, progress: Progress, seconds: number) {
  let next = 0;
  return (what: string, elapsed: number): void => {
    const line = `${minutes(elapsed)} of at most ${minutes(seconds)} · ${what}`;
    progress.update(line);
    if (!io.draw && elapsed >= next) {
      next = elapsed + LOG_SECONDS;
      io.err(`… ${line}\n`);
    }
  };
}

interface Asking {
  readonly args: StackSmokeArguments;
  /** Secrets with keys, by consumer. */
  readonly consumerSecrets: PlatformOutputs["consumerSecrets"];
  readonly source: KubeconfigSource;
  readonly io: CommandIo;
}

async function askModels(
  { environment, plan }: EnvironmentRun,
  targets: Targets,
  { args, consumerSecrets, source, io }: Asking,
): Promise<StackSmokeReport> {
  const { cluster, gateway } = environment;
  const known = { unasked: targets.unasked };
  const [first] = targets.asked;
  if (first === undefined) {
    return ended(args.environment, "checked", { ...known, notes: ["No model speaks an API that smoke calls."] });
  }
  if (gateway.exposure === "ClusterIP") {
    return ended(args.environment, "checked", { ...known, notes: [NO_ADDRESS] });
  }
  const place = placeOf(cluster);
  const { hostname } = new URL(first.url);
  if (place === undefined && !(await lookup(hostname).catch(() => undefined))) {
    return ended(args.environment, cluster.kind === "edge" ? "failed" : "starting", {
      ...known,
      notes: [`The name ${hostname} does not resolve here: make its DNS record lead to the gateway.`],
    });
  }
  const secretName = gateway.tls.kind === "secret" ? gateway.tls.secretName : ISSUED_SECRET;
  const api = await openCluster(cluster.kubeContext, source);
  if ("problem" in api) {
    return ended(args.environment, "failed", { ...known, problems: [api.problem] });
  }
  try {
    const certificate = await gatewaySecret(api, secretName);
    if (certificate === undefined) {
      return ended(args.environment, "failed", { ...known, problems: [noCertificate(secretName)] });
    }
    // ACME certificates must be publicly trusted.
    const ca = args.ca ?? (gateway.tls.kind === "acme" ? undefined : proofIn(certificate));
    const checks: SmokeReport[] = [];
    const keyless: Unasked[] = [];
    for (const target of targets.asked) {
      const apiKey = args.apiKey ?? (await keyOf(target, consumerSecrets, api));
      if (apiKey === undefined) {
        keyless.push({
          model: target.model,
          why: "no key of a consumer that may call it; --api-key-file FILE gives one",
        });
        continue;
      }
      const most = plan.models.find(({ name }) => name === target.model)?.concurrency ?? args.concurrency;
      const how = { ...args, ca, apiKey, connectTo: place, concurrency: Math.min(args.concurrency, most) };
      checks.push(await smoke({ ...how, url: target.url, model: target.modelId }, observer(io)));
    }
    return ended(args.environment, checks.some(hasFailed) ? "failed" : "checked", {
      checks,
      unasked: [...targets.unasked, ...keyless],
      ...(place && { notes: [`Asked at ${place.host}; clients need ${hostname} to resolve to it.`] }),
    });
  } finally {
    api.close();
  }
}

const NO_ADDRESS =
  "The gateway has no address outside of the cluster (exposure: ClusterIP): npm run status shows a call through a port-forward.";

function noCertificate(name: string): string {
  return `the gateway has no certificate, and does not answer: there is no Secret ${name} in ${GATEWAY_NAMESPACE}, or it may not be read. kubectl -n ${GATEWAY_NAMESPACE} create secret tls ${name} --cert=tls.crt --key=tls.key`;
}

/** Machine of a cluster by this stack, whose DNS may not exist yet. */
function placeOf(cluster: EnvironmentRun["environment"]["cluster"]): Place | undefined {
  const [host] = cluster.kind === "edge" && cluster.provision === "create" ? Object.values(cluster.hosts ?? {}) : [];
  return host && { host: host.address };
}

async function openCluster(
  context: string | undefined,
  source: KubeconfigSource,
): Promise<ClusterApi | { readonly problem: string }> {
  try {
    const named = source.text === undefined && context !== undefined ? { context } : {};
    return await ClusterApi.open(clusterContext({ ...source, ...named }));
  } catch (error) {
    if (error instanceof NotAsked) {
      return { problem: error.message };
    }
    throw error;
  }
}

async function keyOf(
  { consumer }: Target,
  secrets: Readonly<Record<string, string>>,
  api: ClusterApi,
): Promise<string | undefined> {
  const name = consumer === undefined ? undefined : secrets[consumer];
  const values = name === undefined ? undefined : await gatewaySecret(api, name);
  return consumer === undefined ? undefined : values?.[consumer];
}

function minutes(seconds: number): string {
  return seconds < 60 ? `${Math.round(seconds)} s` : `${Math.ceil(seconds / 60)} min`;
}

function ended(
  environment: string,
  outcome: StackSmokeReport["outcome"],
  { problems = [], notes = [], unasked = [], checks = [] }: Partial<Omit<StackSmokeReport, "environment" | "outcome">>,
): StackSmokeReport {
  return { environment, outcome, problems, notes, unasked, checks };
}
