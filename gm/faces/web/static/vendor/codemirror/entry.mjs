// What static/editor.js takes of CodeMirror 6. Build: npm ci && npm run build, in a copy of this folder.
export { EditorState } from "@codemirror/state";
export { EditorView, keymap, lineNumbers, highlightActiveLine, highlightActiveLineGutter, drawSelection, highlightSpecialChars } from "@codemirror/view";
export { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
export { HighlightStyle, Language, StreamLanguage, bracketMatching, defineLanguageFacet, indentOnInput, indentUnit, syntaxHighlighting } from "@codemirror/language";
export { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from "@codemirror/autocomplete";
export { lintGutter, linter, lintKeymap } from "@codemirror/lint";
export { yaml, yamlFrontmatter } from "@codemirror/lang-yaml";
export { json } from "@codemirror/lang-json";
export { parser as markdownParser } from "@lezer/markdown";
export { jinja2 } from "@codemirror/legacy-modes/mode/jinja2";
export { tags } from "@lezer/highlight";
