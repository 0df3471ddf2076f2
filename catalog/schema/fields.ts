import { z } from "zod";

// Fields that several catalogue files have.

export const text = z.string().trim().min(1);
export const positive = z.number().positive();
export const count = z.number().int().positive();
export const notNegative = z.number().nonnegative();
export const day = z.iso.date();
export const gfx = z.string().regex(/^gfx[0-9a-f]+$/);

/** What a file is about, for who reads it. */
export const about = text;
