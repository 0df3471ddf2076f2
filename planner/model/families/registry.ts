/** A new family is a row in decoder-families.ts or a reader in a list here. */
import { classicReaders } from "./classic";
import { decoderReaders } from "./decoder";
import { deepseekV4Reader } from "./deepseek-v4";
import { bertReader, modernBertReader } from "./encoder";
import type { FamilyReader } from "./family";
import { gemma3nReader } from "./gemma3n";
import { gemma4Reader } from "./gemma4";
import { hrmTextReader } from "./hrm-text";
import { hyV4Reader } from "./hy-v4";
import { shortConvolutionReader } from "./hybrid-conv";
import { linearAttentionReaders } from "./hybrid-linear";
import { mambaReaders } from "./hybrid-mamba";
import { inklingReader } from "./inkling";
import { longcatReader } from "./longcat";
import { mimoV2Reader } from "./mimo-v2";
import { minimaxM3Reader } from "./minimax-m3";
import { nemotronNasReader } from "./nemotron-nas";
import { stepReader } from "./step";
import { zamba2Reader } from "./zamba2";

const readers = new Map<string, FamilyReader>(
  [
    ...decoderReaders,
    ...classicReaders,
    ...mambaReaders,
    ...linearAttentionReaders,
    shortConvolutionReader,
    hrmTextReader,
    zamba2Reader,
    gemma3nReader,
    deepseekV4Reader,
    gemma4Reader,
    hyV4Reader,
    inklingReader,
    longcatReader,
    mimoV2Reader,
    minimaxM3Reader,
    stepReader,
    nemotronNasReader,
    bertReader,
    modernBertReader,
  ].flatMap((reader) => reader.modelTypes.map((type): [string, FamilyReader] => [type, reader])),
);

/** Undefined for unknown families. */
export function familyReader(modelType: string): FamilyReader | undefined {
  return readers.get(modelType);
}

/** Sorted. */
export function knownFamilies(): readonly string[] {
  return [...readers.keys()].sort();
}
