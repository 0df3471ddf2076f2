/** Add-ons' sections of an environment's schema. */
import type { z } from "zod";
import type { Addon } from "./addon";
import type { SecretField } from "./contract";
import { ADDONS } from "./table";

type Row = (typeof ADDONS)[number];

export type AddonsConfig = { readonly [Each in Row as Each["key"]]?: z.output<Each["section"]> };

/** Each key with its own type. */
type Sections = { readonly [Each in Row as Each["key"]]: Each["section"] };

type SecretKeyOf<Each> = Each extends Addon<infer _Key, infer _Section extends z.ZodType, infer Key> ? Key : never;

export type AddonSecretKey = SecretKeyOf<Row>;

/** TypeScript loses keys in `fromEntries`. */
export const addonSections = Object.fromEntries(ADDONS.map(({ key, section }) => [key, section])) as Sections;

export const addonSecrets: Readonly<Record<AddonSecretKey, SecretField>> = Object.assign(
  {},
  ...ADDONS.map(({ secrets }) => secrets),
);
