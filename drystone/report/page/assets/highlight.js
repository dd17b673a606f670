// C text as words of kinds. A line is highlighted when it is seen; whether it begins within a comment is known of every line.

const KEYWORDS = new Set(
  ("auto break case const continue default do else enum extern for goto if inline register restrict return sizeof static struct switch " +
    "typedef union volatile while alignas alignof bool constexpr false nullptr static_assert thread_local true typeof typeof_unqual " +
    "_Alignas _Alignof _Atomic _Bool _Complex _Generic _Imaginary _Noreturn _Static_assert _Thread_local asm __asm__ __attribute__ " +
    "__extension__ __inline __restrict __volatile__ __typeof__").split(" "),
);
const TYPES = new Set(
  ("void char short int long float double signed unsigned size_t ssize_t ptrdiff_t intptr_t uintptr_t int8_t int16_t int32_t int64_t " +
    "uint8_t uint16_t uint32_t uint64_t FILE _Float16 __int128 pthread_t pthread_mutex_t").split(" "),
);
const WORDS =
  /(\/\/.*$)|(\/\*.*?(?:\*\/|$))|("(?:[^"\\]|\\.)*(?:"|$)|'(?:[^'\\]|\\.)*(?:'|$))|((?:\.\d|\b\d)(?:[eEpP][+-]|[\w.'])*)|([A-Za-z_]\w*)|(^\s*#\s*\w+)/g;
const LONGEST_LINE = 1000;

class Text {
  constructor(file) {
    this.name = file.name;
    this.lines = file.text.split("\n");
    this.isCut = file.is_cut;
    this.inComment = new Uint8Array(this.lines.length + 1);
    let longest = 0;
    this.lines.forEach((line, number) => {
      this.inComment[number + 1] = endsInComment(line, this.inComment[number]) ? 1 : 0;
      longest = Math.max(longest, Math.min(line.length, LONGEST_LINE));
    });
    this.columns = longest;
  }

  // The words of a line, as elements.
  highlighted(number) {
    const line = this.lines[number - 1] ?? "";
    const text = line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE)}…` : line;
    return highlighted(text, this.inComment[number - 1] === 1);
  }
}

function endsInComment(line, inComment) {
  if (!inComment && !line.includes("/*")) return false;
  let at = 0;
  if (inComment) {
    const end = line.indexOf("*/");
    if (end < 0) return true;
    at = end + 2;
  }
  let last = null;
  for (const found of line.slice(at).matchAll(WORDS)) last = found[0];
  return last !== null && last.startsWith("/*") && !(last.length > 3 && last.endsWith("*/"));
}

function highlighted(text, inComment) {
  const parts = [];
  let at = 0;
  if (inComment) {
    const end = text.indexOf("*/");
    at = end < 0 ? text.length : end + 2;
    parts.push(el("span", { class: "c-comment" }, shown(text.slice(0, at))));
  }
  const rest = text.slice(at);
  let done = 0;
  for (const found of rest.matchAll(WORDS)) {
    const kind = kindOf(found);
    if (kind === null) continue;
    if (found.index > done) parts.push(shown(rest.slice(done, found.index)));
    parts.push(el("span", { class: kind }, shown(found[0])));
    done = found.index + found[0].length;
  }
  if (done < rest.length) parts.push(shown(rest.slice(done)));
  return parts;
}

function kindOf([, line, block, string, number, word, directive]) {
  if (line || block) return "c-comment";
  if (string) return "c-string";
  if (number) return "c-number";
  if (directive) return "c-directive";
  if (KEYWORDS.has(word)) return "c-keyword";
  return TYPES.has(word) ? "c-type" : null;
}
