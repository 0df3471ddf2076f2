/** `--traffic rps=2,in=1000,out=300` and `--level ttft=500,tpot=40`: settings in short words. */
import type { z } from "zod";
import { hasTimes, type ServiceLevel } from "../../planner/service-level";
import type { Traffic } from "../../planner/traffic";
import { suggest } from "../../stacks/config/core/problems";
import { serviceLevelSchema } from "../../stacks/config/core/sections/service-level";
import { trafficSchema } from "../../stacks/config/core/sections/traffic";

/** Short words by setting; settings' own names work too. */
export const TRAFFIC_WORDS = {
  rps: "requestsPerSecond",
  peak: "peakFactor",
  in: "inputTokens",
  out: "outputTokens",
  prefix: "sharedPrefixTokens",
  variation: "lengthVariation",
} as const;

export const LEVEL_WORDS = {
  ttft: "ttftMs",
  tpot: "tpotMs",
  tps: "tokensPerSecond",
  percentile: "percentile",
  confidence: "confidence",
  availability: "availability",
} as const;

export function readTraffic(text: string, problems: string[]): Traffic | undefined {
  const traffic = read("traffic", text, TRAFFIC_WORDS, trafficSchema, problems);
  if (traffic !== undefined && traffic.sharedPrefixTokens > traffic.inputTokens) {
    problems.push(`--traffic prefix must be at most in, ${traffic.inputTokens}, is ${traffic.sharedPrefixTokens}`);
  }
  return traffic;
}

export function readLevel(text: string, problems: string[]): ServiceLevel | undefined {
  const level = read("level", text, LEVEL_WORDS, serviceLevelSchema, problems);
  if (level !== undefined && !hasTimes(level) && (level.percentile ?? level.confidence) !== undefined) {
    problems.push(
      "--level percentile and confidence are of ttft, tpot or tps: add one of these, for example tpot=50, or remove them",
    );
  }
  return level;
}

/** Reports all problems; undefined if any. */
function read<T>(
  option: string,
  text: string,
  words: Readonly<Record<string, string>>,
  schema: z.ZodType<T>,
  problems: string[],
): T | undefined {
  const found: string[] = [];
  const values: Record<string, number> = {};
  const unread = new Set<string>();
  for (const part of text.split(",")) {
    const [word = "", value] = part.split("=").map((each) => each.trim());
    if (value === undefined) {
      const [first = ""] = Object.keys(words);
      found.push(`--${option} "${word}" has no "=": write ${first}=…, as ${Object.keys(words).join("=…, ")}=…`);
      continue;
    }
    const setting = Object.hasOwn(words, word)
      ? words[word]
      : Object.values(words).find((name) => name.toLowerCase() === word.toLowerCase());
    const number = value === "" ? Number.NaN : Number(value);
    if (setting === undefined) {
      found.push(
        `--${option} has no "${word}"; ${suggest(word, Object.keys(words), `it has ${Object.keys(words).join(", ")}`)}`,
      );
    } else if (Object.hasOwn(values, setting)) {
      found.push(`--${option} ${word} is given twice: write it once`);
    } else if (!Number.isFinite(number)) {
      unread.add(setting);
      found.push(`--${option} ${word} must be a number, is "${value}": ${word}=…`);
    } else {
      values[setting] = number;
    }
  }
  const answer = schema.safeParse(values);
  for (const { path, message } of answer.error?.issues ?? []) {
    const setting = String(path[0] ?? "");
    if (unread.has(setting)) {
      continue;
    }
    const word = Object.keys(words).find((each) => words[each] === setting) ?? setting;
    const value = values[setting];
    found.push(
      value === undefined ? `--${option} needs ${word}=…` : `--${option} ${word} is ${value}: ${message.toLowerCase()}`,
    );
  }
  problems.push(...found);
  return found.length === 0 ? answer.data : undefined;
}
