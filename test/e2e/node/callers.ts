/** Headers of a caller, and the tenant and the correlation that the engine receives. */
export const CALLERS: readonly (readonly [string, readonly (readonly [string, string])[], string, string])[] = [
  ["absent", [], "", ""],
  ["one of the two", [["X-Octopus-Tenant-Id", "acme"]], "acme", ""],
  [
    "both",
    [
      ["X-Octopus-Tenant-Id", "acme"],
      ["X-Octopus-Correlation-Id", "c-1"],
    ],
    "acme",
    "c-1",
  ],
  [
    "empty",
    [
      ["X-Octopus-Tenant-Id", ""],
      ["X-Octopus-Correlation-Id", ""],
    ],
    "",
    "",
  ],
  ["of blanks", [["X-Octopus-Tenant-Id", " \t "]], "", ""],
  [
    "in small letters",
    [
      ["x-octopus-tenant-id", "acme"],
      ["x-octopus-correlation-id", "c-1"],
    ],
    "acme",
    "c-1",
  ],
  [
    "repeated",
    [
      ["X-Octopus-Tenant-Id", "first"],
      ["X-Octopus-Tenant-Id", "second"],
    ],
    "first",
    "",
  ],
  [
    "empty and repeated",
    [
      ["X-Octopus-Tenant-Id", ""],
      ["X-Octopus-Tenant-Id", "second"],
    ],
    "",
    "",
  ],
  [
    "spoofed",
    [
      ["X-Tenant-Id", "root"],
      ["X-Correlation-Id", "forged"],
    ],
    "",
    "",
  ],
  [
    "spoofed often",
    [
      ["X-Tenant-Id", "root"],
      ["x-tenant-id", "root2"],
      ["X-TENANT-ID", ""],
    ],
    "",
    "",
  ],
  [
    "spoofed beside the true one",
    [
      ["X-Tenant-Id", "a"],
      ["X-Octopus-Tenant-Id", "acme"],
      ["X-Tenant-Id", "b"],
      ["X-Correlation-Id", "x"],
    ],
    "acme",
    "",
  ],
  ["with operators of Envoy's", [["X-Octopus-Tenant-Id", "%REQ(AUTHORIZATION)%"]], "%REQ(AUTHORIZATION)%", ""],
  ["long", [["X-Octopus-Tenant-Id", "t".repeat(5000)]], "t".repeat(5000), ""],
];
