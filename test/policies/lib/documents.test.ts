import { expect, test } from "vitest";
import { documentsIn } from "../../../policies/lib/documents";
import { Field } from "../../../policies/lib/field";

const read = (text: string) => documentsIn(new Field(text, "data", new Set())).map(({ value }) => value);

test.each([
  ["yes", true],
  ["on", true],
  ["y", true],
  ["Off", false],
  ["022", 18],
  ["0o22", 18],
  ["0b11", 3],
  ["1_000", 1000],
  ["22:22", "22:22"],
  ["2001-01-01", "2001-01-01"],
  ["!!binary cHJp", "pri"],
  ["!!omap [a: 1]", [{ a: 1 }]],
  ["!!set {a}", { a: null }],
  ['"yes"', "yes"],
])("reads %s as Kubernetes does", (text, value) => {
  expect(read(`a: ${text}`)).toEqual([{ a: value }]);
});

test.each([
  ["a: &a {x: 1, z: 2}\nb: {x: 3, <<: *a}", { x: 3, z: 2 }],
  ["a: &a {x: 1}\nc: &c {x: 2, z: 2}\nb: {<<: [*a, *c]}", { x: 1, z: 2 }],
  ["b: {'<<': {x: 1}}", { "<<": { x: 1 } }],
])("merges objects: %s", (text, b) => {
  expect(read(text)).toMatchObject([{ b }]);
});

test("a directive changes nothing", () => {
  expect(read("%YAML 1.2\n---\na: yes\n")).toEqual([{ a: true }]);
});

test("a document that is wrong leaves the others", () => {
  expect(read("<<: text\n---\na: 1\n")).toEqual([{ a: 1 }]);
});
