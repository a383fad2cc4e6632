// Colours texts as editors do with the TextMate grammar, and compares with what the tokens really are:
//   grammar.mjs GRAMMAR.json < FILES.json
// where FILES is [{ name, lines, tokens: [[line, column, length, kind]] }]. Prints each token with a colour of another kind.
// It is a scanner of its own of what the grammar uses of TextMate: `match`, `begin` and `end`, `include`, `captures`.

import { readFileSync } from "node:fs";

const grammar = JSON.parse(readFileSync(process.argv[2], "utf8"));
const files = JSON.parse(readFileSync(0, "utf8"));
const compiled = new Map();
const regexp = (source) => {
  if (!compiled.has(source)) compiled.set(source, new RegExp(source, "gd"));
  return compiled.get(source);
};

/** The rules of a list, with those that it includes. */
function rules(patterns = []) {
  return patterns.flatMap((rule) =>
    rule.include === undefined ? [rule] : rules(grammar.repository[rule.include.slice(1)].patterns),
  );
}
const top = rules(grammar.patterns);

function find(source, line, at) {
  const expression = regexp(source);
  expression.lastIndex = at;
  return expression.exec(line);
}

/** The scope of each character of the lines. */
function colour(lines) {
  const stack = [];
  return lines.map((line) => {
    const scopes = new Array(line.length).fill("");
    let at = 0;
    const paint = (from, to, scope) => scope && scopes.fill(scope, from, to);
    while (at <= line.length) {
      const inside = stack.at(-1);
      let best = inside && { found: find(inside.end, line, at), ends: true };
      if (best?.found === null) best = undefined;
      for (const rule of inside ? rules(inside.patterns) : top) {
        const found = find(rule.match ?? rule.begin, line, at);
        if (found !== null && (best === undefined || found.index < best.found.index)) best = { found, rule };
      }
      if (best === undefined) {
        paint(at, line.length, inside?.name);
        break;
      }
      const { found, rule, ends } = best;
      const end = found.index + found[0].length;
      paint(at, found.index, inside?.name);
      paint(found.index, end, ends ? inside.name : (rule.name ?? inside?.name));
      for (const [nth, capture] of Object.entries(rule?.captures ?? {})) {
        if (found.indices[nth]) paint(...found.indices[nth], capture.name);
      }
      if (ends) stack.pop();
      if (rule?.begin) stack.push(rule);
      // What is empty moves on, unless it ended something.
      at = end > at || ends ? end : at + 1;
      if (ends && end === line.length && found[0] === "") break;
    }
    return scopes;
  });
}

const KINDS = {
  comment: /^comment\.|\.documentation\./,
  string: /^(string|constant\.character)\./,
  number: /^constant\.numeric\./,
  keyword: /^(keyword|storage|variable\.language|constant\.language)\./,
  name: /^(?!comment|string|constant|keyword\.(control|other)|storage\.modifier)/,
};

let wrong = 0;
for (const { name, lines, tokens } of files) {
  const scopes = colour(lines);
  for (const [line, column, length, kind] of tokens) {
    const seen = new Set(scopes[line].slice(column, column + length));
    for (const scope of seen) {
      if (!KINDS[kind].test(scope) && wrong++ < 20) {
        const text = lines[line].slice(column, column + length);
        console.log(`${name}:${line + 1}:${column + 1}: \`${text}\` is a ${kind} and coloured as \`${scope}\``);
      }
    }
  }
}
console.log(`${files.length} files, ${files.reduce((sum, file) => sum + file.tokens.length, 0)} tokens, ${wrong} wrong`);
process.exit(wrong === 0 ? 0 : 1);
