/**
 * AMD's compiler targets: "gfx90a" (rocminfo, compilers), 90010 (`gfx_target_version`,
 * /sys/class/kfd/kfd/topology/nodes/N/properties), "9.0.10" (HSA_OVERRIDE_GFX_VERSION).
 */

/** Variable of AMD's runtime under which a card pretends to be another target. */
export const HSA_OVERRIDE = "HSA_OVERRIDE_GFX_VERSION";

interface GfxParts {
  readonly major: number;
  readonly minor: number;
  readonly stepping: number;
}

/** The last two digits of a target are hexadecimal: gfx90a is 9.0.10. */
const TARGET = /^gfx(\d+)([0-9a-f])([0-9a-f])$/;
const OVERRIDE = /^(\d{1,2})\.(\d{1,2})\.(\d{1,2})$/;

/** @throws RangeError for what is no target. */
function partsOf(gfx: string): GfxParts {
  const [, major, minor, stepping] = TARGET.exec(gfx) ?? [];
  if (major === undefined || minor === undefined || stepping === undefined) {
    throw new RangeError(`"${gfx}" is no compiler target of AMD: gfx and three digits or more, such as gfx1100`);
  }
  return { major: Number(major), minor: Number.parseInt(minor, 16), stepping: Number.parseInt(stepping, 16) };
}

function targetOf({ major, minor, stepping }: GfxParts): string {
  return `gfx${major}${minor.toString(16)}${stepping.toString(16)}`;
}

/**
 * major × 10000 + minor × 100 + stepping (Linux, drivers/gpu/drm/amd/amdkfd/kfd_device.c, read
 * 2026-11-23).
 * @throws RangeError for no target.
 */
export function gfxVersionNumber(gfx: string): number {
  const { major, minor, stepping } = partsOf(gfx);
  return major * 10_000 + minor * 100 + stepping;
}

/** Undefined for 0, the kernel's value of CPUs, and for other numbers. */
export function gfxOfVersionNumber(version: number): string | undefined {
  const parts = {
    major: Math.floor(version / 10_000),
    minor: Math.floor(version / 100) % 100,
    stepping: version % 100,
  };
  const isTarget = Number.isInteger(version) && parts.major > 0 && parts.minor < 16 && parts.stepping < 16;
  return isTarget ? targetOf(parts) : undefined;
}

/** Target by HSA_OVERRIDE_GFX_VERSION; undefined for an invalid value. */
export function gfxOfOverride(override: string): string | undefined {
  const [, major, minor, stepping] = OVERRIDE.exec(override) ?? [];
  const parts = { major: Number(major), minor: Number(minor), stepping: Number(stepping) };
  return parts.major > 0 && parts.minor < 16 && parts.stepping < 16 ? targetOf(parts) : undefined;
}
