import type { z } from "zod";
import { parseJson } from "../../names/json-text";
import { ADVICE_OF_SMOKE, type Advice, type Answer } from "./http";
import { StepFailure } from "./result";

/** Shown part of a body. */
const SHOWN_CHARACTERS = 300;

/** Parsed body for the right status. @throws StepFailure otherwise, with the server's message. */
export function expectJson<T>(
  answer: Answer,
  expected: {
    readonly what: string;
    readonly status?: number;
    readonly schema: z.ZodType<T>;
    readonly lookAt: string;
    readonly advice?: Advice;
  },
): T {
  const { what, status = 200, schema, lookAt, advice } = expected;
  if (answer.status !== status) {
    throw refused(answer, `${what}: status ${status}`, lookAt, advice);
  }
  const parsed = schema.safeParse(parseJson(answer.text));
  if (parsed.success) {
    return parsed.data;
  }
  const problem = parsed.error.issues[0];
  const where = problem === undefined || problem.path.length === 0 ? "" : ` at ${problem.path.join(".")}`;
  throw new StepFailure({
    expected: what,
    got: `an answer of another form (${problem?.message ?? "not JSON"}${where}): ${shorten(answer.text)}`,
    lookAt: `whether this is the right server; ${lookAt}`,
  });
}

export function refused(answer: Answer, expected: string, lookAt: string, advice = ADVICE_OF_SMOKE): StepFailure {
  const words = messageIn(answer.text);
  return new StepFailure({
    expected,
    got: `status ${answer.status}${words === "" ? "" : `: ${words}`}`,
    lookAt: hintFor(answer.status, advice) ?? lookAt,
  });
}

function hintFor(status: number, { unauthorized }: Advice): string | undefined {
  if (status === 401) {
    return unauthorized;
  }
  if (status === 403) {
    return 'what the key or token may do: the control API needs the scope "operate"';
  }
  if (status === 400 || status === 422) {
    return "the value that the message names";
  }
  if (status === 429) {
    return "the rate limit of this key; a lower --concurrency";
  }
  return undefined;
}

/** From the JSON errors of OpenAI, Ollama and RFC 9457, or the text itself. */
export function messageIn(text: string): string {
  const body = parseJson(text);
  if (typeof body !== "object" || body === null) {
    return shorten(text);
  }
  const { error, detail, title, message } = body as Readonly<Record<string, unknown>>;
  const nested = typeof error === "object" && error !== null ? (error as { message?: unknown }).message : error;
  const found = [nested, detail, message, title].find((words) => typeof words === "string" && words !== "");
  return shorten(typeof found === "string" ? found : text);
}

function shorten(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length <= SHOWN_CHARACTERS ? line : `${line.slice(0, SHOWN_CHARACTERS)}…`;
}
