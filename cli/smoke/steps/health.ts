import { counted } from "../../../names/counted";
import type { SmokeArguments } from "../arguments";
import { type Found, stepSignal } from "../context";
import { ControlApi, type ControlHealth } from "../control-api";
import { discover, type Endpoint } from "../endpoint";
import { HttpClient, NoAnswer } from "../http";
import { OllamaLifecycle } from "../ollama";
import { type Explanation, StepFailure, type StepOutcome } from "../result";

/** Results and shown outcome of health; either may be missing. */
export interface HealthCheck extends Found {
  readonly outcome: StepOutcome | StepFailure;
  readonly notes: readonly string[];
}

/** Checks the control API, if given, and the engine, and chooses the one for pull and unload. */
export async function health(args: SmokeArguments, inference: HttpClient): Promise<HealthCheck> {
  const [engine, control] = await Promise.all([
    attempt(() => discover(inference, stepSignal(args)), "an OpenAI API or Ollama answers at --url"),
    args.controlUrl === undefined ? undefined : askControl(args, args.controlUrl),
  ]);
  const endpoint = engine instanceof StepFailure ? undefined : engine;
  const direct = endpoint?.kind === "ollama" ? new OllamaLifecycle(inference, args.insecureRegistry) : undefined;
  const api = control instanceof StepFailure ? undefined : control?.api;
  return {
    endpoint,
    control: api,
    lifecycle: api ?? direct,
    outcome: verdict(engine, control),
    notes: control instanceof StepFailure ? [fallback(direct)] : [],
  };
}

interface Answered {
  readonly api: ControlApi;
  readonly health: ControlHealth;
}

async function askControl(args: SmokeArguments, url: string): Promise<Answered | StepFailure> {
  const api = new ControlApi(new HttpClient(url, { token: args.token, ca: args.ca }));
  return attempt(
    async () => ({ api, health: await api.health(stepSignal(args)) }),
    "the model control API answers at --control-url",
  );
}

function fallback(direct: OllamaLifecycle | undefined): string {
  return direct === undefined
    ? "the control API is away, and what answers at --url cannot pull or unload: those steps do not apply"
    : "the control API is away: Ollama is asked directly instead";
}

function verdict(
  engine: Endpoint | StepFailure,
  control: Answered | StepFailure | undefined,
): StepOutcome | StepFailure {
  const failures = [control, engine, unhealthy(control)].filter((one) => one instanceof StepFailure);
  if (failures.length > 0) {
    return joined(failures.map(({ explanation }) => explanation));
  }
  const served = engine instanceof StepFailure ? "" : saysOf(engine);
  if (control === undefined || control instanceof StepFailure) {
    return { detail: served };
  }
  const { checks } = control.health;
  return { detail: [...told(checks), served].join(" · "), figures: { checks } };
}

function saysOf({ kind, label, models }: Endpoint): string {
  return kind === "node" ? `${label} says ok` : `${label} serves ${counted(models.length, "model")}`;
}

function unhealthy(control: Answered | StepFailure | undefined): StepFailure | undefined {
  if (control === undefined || control instanceof StepFailure || control.health.healthy) {
    return undefined;
  }
  const bad = Object.entries(control.health.checks).filter(([, { ok }]) => ok === false);
  return new StepFailure({
    expected: "the control API calls itself healthy",
    got: bad.map(([name, { detail }]) => `${name}: ${detail || "not ok"}`).join("; "),
    lookAt: "what these checks name, then the control API's log",
  });
}

/** Failed checks of a healthy API are information: no GPU, no model loaded. */
function told(checks: ControlHealth["checks"]): string[] {
  const named = Object.entries(checks).map(([name, { ok }]) => ({ name: name.replaceAll("_", " "), ok }));
  const good = named.filter(({ ok }) => ok === true).map(({ name }) => name);
  const other = named.filter(({ ok }) => ok !== true);
  return [
    ...(good.length === 0 ? [] : [`${good.join(", ")} ok`]),
    ...other.map(({ name, ok }) => `${name}: ${ok === null ? "unknown" : "no"}`),
  ];
}

function joined(failures: readonly Explanation[]): StepFailure {
  const all = (key: keyof Explanation): string => failures.map((failure) => failure[key]).join("; ");
  return new StepFailure({ expected: all("expected"), got: all("got"), lookAt: all("lookAt") });
}

async function attempt<T>(ask: () => Promise<T>, expected: string): Promise<T | StepFailure> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof StepFailure) {
      return error;
    }
    if (error instanceof NoAnswer) {
      return new StepFailure({ expected, got: error.message, lookAt: error.lookAt });
    }
    throw error;
  }
}
