/** A generated page: its title, where it comes from, what a reader gets from it, and its body. */
export function page(title: string, source: string, lead: string, ...body: readonly string[]): string {
  const note = `<!-- Generated from ${source} by npm run reference. Do not edit. -->`;
  return `${[`# ${title}`, note, lead, ...body].map((part) => part.trim()).join("\n\n")}\n`;
}

/** Code in a cell or line; a bar is escaped by the table. */
export function code(text: string): string {
  return text.includes("`") ? `\`\` ${text} \`\`` : `\`${text}\``;
}
