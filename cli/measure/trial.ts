/** Before the measurement: supported options, token counts, request time. */
import type { HttpClient } from "../smoke/http";
import { Client, FORMS, Refusal, type Sample } from "./client";
import { MeasureFailure } from "./failure";
import { prompt, type TokenCount, tokenCount, USUAL_COUNT, wordsFor } from "./prompts";
import type { MeasuredTraffic } from "./traffic";

export interface Trial {
  readonly client: Client;
  readonly count: TokenCount;
  /** One request of the traffic, alone. */
  readonly sample: Sample;
}

/** Size of the first prompt and answer. Fewer tokens may be no whole character. */
const SHORT_WORDS = 24;
const SHORT_TOKENS = 16;

/** Allowed error of a prompt's length. */
const COUNT_TOLERANCE = 0.03;
const MOST_COUNTS = 3;

/** Statuses of an unsupported form; others have another reason. */
const FORM_STATUSES: readonly number[] = [400, 404, 405, 422, 501];

/**
 * @throws MeasureFailure
 * @throws NoAnswer
 */
export async function tryOut(
  http: HttpClient,
  model: string,
  traffic: MeasuredTraffic,
  random: () => number,
  signal: AbortSignal,
  onProgress: (what: string) => void,
): Promise<Trial> {
  onProgress("first request");
  const { client, sample: short } = await findForm(http, model, random, signal);
  onProgress("length of prompts");
  const count = await countTokens(client, short, traffic, random, signal);
  onProgress("one request alone");
  const words = wordsFor(traffic.inputTokens, count);
  const shared = sharedWords(traffic, count);
  const sample = await client.ask(prompt(words, shared, random), traffic.outputTokens, signal);
  if (!sample.streamed) {
    throw new MeasureFailure(
      "the answer comes in one piece: something on the way keeps it until it is whole, so the times of tokens cannot be seen",
      "what lies between: ask the engine itself (kubectl port-forward), or switch the buffering off",
    );
  }
  if (sample.tpotMs === undefined) {
    throw new MeasureFailure(
      "the answer has one token, so there is no time between tokens",
      "whether the model makes text",
    );
  }
  return { client, count, sample };
}

/** Common words of all prompts. */
export function sharedWords({ sharedPrefixTokens }: MeasuredTraffic, { perWord }: TokenCount): number {
  return Math.round(sharedPrefixTokens / perWord);
}

async function findForm(
  http: HttpClient,
  model: string,
  random: () => number,
  signal: AbortSignal,
): Promise<{ readonly client: Client; readonly sample: Sample }> {
  let first: Refusal | undefined;
  for (const form of FORMS) {
    const client = new Client(http, model, form);
    try {
      return { client, sample: await client.ask(prompt(SHORT_WORDS, 0, random), SHORT_TOKENS, signal) };
    } catch (error) {
      if (!(error instanceof Refusal && FORM_STATUSES.includes(error.status))) {
        throw error;
      }
      first ??= error;
    }
  }
  throw first ?? new MeasureFailure("no form of request was tried", "");
}

/** Tokens per word vary: prompts differ by some per cent. */
const COUNTED_PROMPTS = 5;

async function meanTokens(client: Client, words: number, random: () => number, signal: AbortSignal): Promise<number> {
  let sum = 0;
  for (let i = 0; i < COUNTED_PROMPTS; i += 1) {
    const { inputTokens = 0 } = await client.ask(prompt(words, 0, random), SHORT_TOKENS, signal);
    sum += inputTokens;
  }
  return sum / COUNTED_PROMPTS;
}

/** Two distant lengths separate the template from tokens per word; then the rest is corrected. */
async function countTokens(
  client: Client,
  short: Sample,
  { inputTokens: wanted }: MeasuredTraffic,
  random: () => number,
  signal: AbortSignal,
): Promise<TokenCount> {
  if (short.inputTokens === undefined) {
    return USUAL_COUNT;
  }
  const counted = async (words: number) => ({ words, tokens: await meanTokens(client, words, random, signal) });
  const guess = wordsFor(wanted, { fixed: 0, perWord: short.inputTokens / SHORT_WORDS });
  const many = await counted(Math.max(3, guess));
  let count = tokenCount(await counted(Math.max(1, Math.round(many.words / 3))), many);
  for (let tries = 0; tries < MOST_COUNTS; tries += 1) {
    const { words, tokens } = await counted(wordsFor(wanted, count));
    if (Math.abs(tokens / wanted - 1) <= COUNT_TOLERANCE || words === 1) {
      break;
    }
    // A prompt has at least part of a token per word.
    count = { ...count, perWord: Math.max(0.1, (tokens - count.fixed) / words) };
  }
  return count;
}
