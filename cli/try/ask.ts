import { spawn } from "node:child_process";
import { z } from "zod";
import { GATEWAY_NAME, ISSUED_SECRET } from "../../names/gateway";
import { GATEWAY_NAMESPACE } from "../../names/namespaces";
import { deadline } from "../deadline";
import { type ChatTiming, chat } from "../smoke/chat";
import { HttpClient, NoAnswer } from "../smoke/http";
import { StepFailure } from "../smoke/result";
import { type CommandPlace, captured } from "./run-command";

/** Stack outputs that a first question needs. */
export const trialOutputs = z.object({
  kubeconfig: z.string().min(1),
  /** Secrets with keys, by consumer. */
  consumerSecrets: z.record(z.string(), z.string()),
  models: z.record(z.string(), z.object({ baseUrl: z.url(), modelId: z.string() })),
});
export type TrialOutputs = z.output<typeof trialOutputs>;

export interface Question {
  readonly outputs: TrialOutputs;
  readonly prompt: string;
  readonly maxTokens: number;
  /** Total limit. */
  readonly seconds: number;
  readonly onText: (text: string) => void;
}

/** Reason and advice. */
export class NotAnswered extends Error {
  constructor(
    message: string,
    readonly lookAt: string,
  ) {
    super(message);
  }
}

export interface Answered extends ChatTiming {
  readonly model: string;
}

const secret = z.object({ data: z.record(z.string(), z.base64()) });

/**
 * Asks the first model like any gateway client: by name, certificate and a consumer's key.
 *
 * @param kubectl with a KUBECONFIG of the trial's cluster.
 * @throws NotAnswered
 */
export async function askModel(question: Question, kubectl: CommandPlace): Promise<Answered> {
  const { outputs, prompt, maxTokens, seconds, onText } = question;
  const [[model, usage] = []] = Object.entries(outputs.models);
  const [[consumer, keySecret] = []] = Object.entries(outputs.consumerSecrets);
  if (model === undefined || usage === undefined || consumer === undefined || keySecret === undefined) {
    throw new NotAnswered("the stack has no model and consumer to ask", "models in Pulumi.try.yaml");
  }
  const [key, ca] = await Promise.all([secretValue(keySecret, consumer, kubectl), gatewayAuthority(kubectl)]);
  const forward = await portForward(kubectl);
  try {
    const url = new URL(usage.baseUrl);
    const client = new HttpClient(url.origin, { token: key, ca, connectTo: { host: "127.0.0.1", port: forward.port } });
    const path = `${url.pathname}/chat/completions`;
    const request = { path, model: usage.modelId, prompt, maxTokens, onText };
    return { model, ...(await chat(client, request, deadline(seconds).signal)) };
  } catch (error) {
    if (error instanceof StepFailure) {
      const { expected, got, lookAt } = error.explanation;
      throw new NotAnswered(`expected ${expected}, got ${got}`, lookAt);
    }
    throw error instanceof NoAnswer ? new NotAnswered(error.message, error.lookAt) : error;
  } finally {
    forward.stop();
  }
}

/** CA that the platform created for its gateway, PEM. @throws NotAnswered */
export function gatewayAuthority(kubectl: CommandPlace): Promise<string> {
  return secretValue(ISSUED_SECRET, "ca.crt", kubectl);
}

async function secretValue(name: string, key: string, kubectl: CommandPlace): Promise<string> {
  const args = ["--namespace", GATEWAY_NAMESPACE, "get", "secret", name, "--output", "json"];
  const { status, out, err } = await captured("kubectl", args, kubectl);
  const parsed = status === 0 ? secret.safeParse(JSON.parse(out)) : undefined;
  const value = parsed?.data?.data[key];
  if (value === undefined) {
    throw new NotAnswered(
      `the Secret ${name} in ${GATEWAY_NAMESPACE} has no ${key}${err === "" ? "" : `: ${err.trim()}`}`,
      `kubectl --namespace ${GATEWAY_NAMESPACE} get secrets`,
    );
  }
  return Buffer.from(value, "base64").toString("utf8").trim();
}

/** Limit to establish a port-forward, seconds. */
const PATIENCE = 30;

interface Forward {
  readonly port: number;
  readonly stop: () => void;
}

/** From any free local port to the gateway. @throws NotAnswered */
function portForward({ cwd, env }: CommandPlace): Promise<Forward> {
  const child = spawn(
    "kubectl",
    ["--namespace", GATEWAY_NAMESPACE, "port-forward", `service/${GATEWAY_NAME}`, "--address", "127.0.0.1", ":443"],
    { cwd, env, stdio: ["ignore", "pipe", "pipe"] },
  );
  const stop = () => void child.kill();
  let said = "";
  return new Promise((resolve, reject) => {
    const fail = (what: string) => {
      stop();
      const lookAt = `kubectl --namespace ${GATEWAY_NAMESPACE} get pods,services`;
      reject(new NotAnswered(`no way to the gateway: ${what}${said === "" ? "" : `: ${said.trim()}`}`, lookAt));
    };
    const timer = setTimeout(
      () => fail(`kubectl port-forward is not ready after ${PATIENCE} seconds`),
      PATIENCE * 1000,
    );
    const settled = () => clearTimeout(timer);
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => {
        said += text;
        const port = /^Forwarding from 127\.0\.0\.1:(\d+) -> /m.exec(said)?.[1];
        if (port !== undefined) {
          settled();
          resolve({ port: Number(port), stop });
        }
      });
    }
    child.once("error", (error) => {
      settled();
      fail(error.message);
    });
    child.once("close", () => {
      settled();
      fail("kubectl port-forward ended");
    });
  });
}
