// SPDX-License-Identifier: Apache-2.0
#include "scene/node.h"

#include <string.h>
#include <yaml.h>

enum { DEPTH_MOST = 64 }; // deeper than any sane scene
// Anchors can be used to write a tree of 10^9 nodes in a few lines: so many, beyond those of the text.
enum { COPIES_MOST = 200000 };
// Keys are looked for one after the other.
enum { KEYS_MOST = 10000 };

typedef struct {
  firn_arena *arena;
  firn_report *report;
  yaml_document_t *document;
  firn_mark base; // origin, file and level of every mark
  size_t nodes;
  int above[DEPTH_MOST + 1]; // numbers of the nodes that the one at hand lies in
  bool stopped;              // by an error that makes the rest of the tree meaningless
} builder;

firn_node *firn_node_find(const firn_node *map, const char *key) {
  for (firn_node *n = map->first; n; n = n->next)
    if (n->key && strcmp(n->key, key) == 0) return n;
  return NULL;
}

void firn_node_append(firn_node *parent, firn_node *child) {
  child->next = NULL;
  if (parent->last)
    parent->last->next = child;
  else
    parent->first = child;
  parent->last = child;
}

void firn_node_remove(firn_node *parent, const char *key) {
  firn_node *previous = NULL;
  for (firn_node *n = parent->first; n; previous = n, n = n->next) {
    if (!n->key || strcmp(n->key, key) != 0) continue;
    if (previous)
      previous->next = n->next;
    else
      parent->first = n->next;
    if (parent->last == n) parent->last = previous;
    return;
  }
}

int firn_node_count(const firn_node *list) {
  int n = 0;
  for (const firn_node *item = list->first; item; item = item->next) n++;
  return n;
}

void firn_node_merge(firn_node *map, firn_node *other) {
  for (firn_node *n = other->first; n;) {
    firn_node *next = n->next;
    firn_node *own = firn_node_find(map, n->key);
    bool nothing = own && own->kind == FIRN_NODE_SCALAR && !own->quoted && !*own->text;
    if (nothing) firn_node_remove(map, n->key); // `mpm:` with nothing after it
    if (!own || nothing)
      firn_node_append(map, n);
    else if (own->kind == FIRN_NODE_MAP && n->kind == FIRN_NODE_MAP)
      firn_node_merge(own, n);
    n = next;
  }
}

const char *firn_node_kind_name(const firn_node *node) {
  switch (node->kind) {
  case FIRN_NODE_LIST: return "a list";
  case FIRN_NODE_MAP: return "a map";
  case FIRN_NODE_SCALAR: break;
  }
  return "a single value";
}

static firn_mark mark_of(const builder *b, yaml_mark_t mark) {
  firn_mark at = b->base;
  at.line = (int)mark.line + 1;
  at.column = (int)mark.column + 1;
  return at;
}

static firn_node *convert(builder *b, int index, int depth);

// `<<: *base` takes over the keys of base that the map does not set itself, wherever it stands.
static void merge(builder *b, firn_node *map, const firn_node *source) {
  if (source->kind == FIRN_NODE_LIST) {
    for (const firn_node *item = source->first; item; item = item->next) merge(b, map, item);
    return;
  }
  if (source->kind != FIRN_NODE_MAP) {
    firn_report_add(b->report, source->mark, "<<", "expected a map or a list of maps to merge");
    return;
  }
  for (const firn_node *n = source->first; n;) {
    const firn_node *next = n->next;
    if (!firn_node_find(map, n->key)) {
      firn_node *moved = firn_arena_alloc(b->arena, sizeof *moved);
      if (!moved) return;
      *moved = *n;
      firn_node_append(map, moved);
    }
    n = next;
  }
}

static void convert_map(builder *b, const yaml_node_t *from, firn_node *map, int depth) {
  const yaml_node_pair_t *pair = from->data.mapping.pairs.start;
  firn_node *merged = NULL;
  if (from->data.mapping.pairs.top - pair > KEYS_MOST) {
    firn_report_add(b->report, map->mark, "", "a map of more than %d keys", KEYS_MOST);
    b->stopped = true;
  }
  for (; pair < from->data.mapping.pairs.top && !b->stopped; pair++) {
    firn_node *key = convert(b, pair->key, depth + 1);
    firn_node *value = convert(b, pair->value, depth + 1);
    if (!key || !value) return;
    if (key->kind != FIRN_NODE_SCALAR) {
      firn_report_add(b->report, key->mark, "", "expected a key, found %s",
                      firn_node_kind_name(key));
      continue;
    }
    if (strcmp(key->text, "<<") == 0 && !key->quoted) {
      merged = value;
      continue;
    }
    const firn_node *earlier = firn_node_find(map, key->text);
    if (earlier) {
      firn_report_add(b->report, key->mark, "", "key '%.80s' was already given at %d:%d", key->text,
                      earlier->key_mark.line, earlier->key_mark.column);
      continue;
    }
    value->key = key->text;
    value->key_mark = key->mark;
    firn_node_append(map, value);
  }
  if (merged) merge(b, map, merged);
}

// A document ends though an anchor contains itself, or stands for too much.
static bool may_convert(builder *b, int index, int depth, firn_mark mark) {
  size_t own = (size_t)(b->document->nodes.top - b->document->nodes.start);
  bool within = false;
  for (int i = 0; i < depth && i <= DEPTH_MOST; i++) within = within || b->above[i] == index;
  if (within)
    firn_report_add(b->report, mark, "", "an anchor contains itself");
  else if (depth > DEPTH_MOST)
    firn_report_add(b->report, mark, "", "nested too deeply: more than %d lists and maps",
                    DEPTH_MOST);
  else if (b->nodes >= own + COPIES_MOST)
    firn_report_add(b->report, mark, "", "anchors repeat more than %d values", COPIES_MOST);
  else
    return true;
  b->stopped = true;
  return false;
}

static firn_node *convert(builder *b, int index, int depth) {
  const yaml_node_t *from = yaml_document_get_node(b->document, index);
  firn_mark mark = mark_of(b, from->start_mark);
  if (b->stopped || !may_convert(b, index, depth, mark)) return NULL;
  b->above[depth] = index;
  b->nodes++;
  firn_node *node = firn_arena_alloc(b->arena, sizeof *node);
  if (!node) return NULL;
  node->mark = mark;
  switch (from->type) {
  case YAML_SCALAR_NODE: {
    const char *text = (const char *)from->data.scalar.value;
    size_t length = from->data.scalar.length;
    if (memchr(text, 0, length))
      firn_report_add(b->report, mark, "", "the value holds a zero byte");
    node->kind = FIRN_NODE_SCALAR;
    node->quoted = from->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
    node->text = firn_arena_text(b->arena, text, length);
    return node->text ? node : NULL;
  }
  case YAML_SEQUENCE_NODE:
    node->kind = FIRN_NODE_LIST;
    for (const yaml_node_item_t *item = from->data.sequence.items.start;
         item < from->data.sequence.items.top && !b->stopped; item++) {
      firn_node *child = convert(b, *item, depth + 1);
      if (child) firn_node_append(node, child);
    }
    return node;
  case YAML_MAPPING_NODE:
    node->kind = FIRN_NODE_MAP;
    convert_map(b, from, node, depth);
    return node;
  case YAML_NO_NODE: break;
  }
  return node;
}

// libyaml tells the byte, not the line, when the text is not UTF-8.
static firn_mark place_of_byte(const builder *b, const char *text, size_t size, size_t offset) {
  firn_mark mark = b->base;
  mark.line = mark.column = 1;
  for (size_t i = 0; i < offset && i < size; i++) {
    if (text[i] == '\n') {
      mark.line++;
      mark.column = 1;
    } else if (((unsigned char)text[i] & 0xC0) != 0x80) {
      mark.column++;
    }
  }
  return mark;
}

static const char *line_start(const char *text, size_t size, size_t line) {
  const char *end = text + size, *from = text;
  for (; line > 0 && from < end; line--) {
    const char *next = memchr(from, '\n', (size_t)(end - from));
    if (!next) break;
    from = next + 1;
  }
  return from;
}

// libyaml calls it a character that cannot start any token, and it is not to be seen.
static bool is_tab(const char *text, size_t size, yaml_mark_t at) {
  const char *from = line_start(text, size, at.line);
  return at.column < (size_t)(text + size - from) && from[at.column] == '\t';
}

// Braces of a variable end what they stand in, unless they are quoted.
static const char *syntax_hint(const char *text, size_t size, size_t line) {
  const char *end = text + size, *from = line_start(text, size, line);
  const char *stop = memchr(from, '\n', (size_t)(end - from));
  for (const char *p = from; p + 1 < (stop ? stop : end); p++)
    if (p[0] == '$' && p[1] == '{')
      return "; quote what holds ${...} inside brackets and braces: \"${name}\"";
  return "";
}

static void report_syntax(const builder *b, const yaml_parser_t *parser, const char *text,
                          size_t size) {
  const char *problem = parser->problem ? parser->problem : "unreadable";
  if (parser->error == YAML_READER_ERROR)
    firn_report_add(b->report, place_of_byte(b, text, size, parser->problem_offset), "",
                    "not UTF-8 text: %s", problem);
  else if (parser->error == YAML_SCANNER_ERROR && is_tab(text, size, parser->problem_mark))
    firn_report_add(b->report, mark_of(b, parser->problem_mark), "",
                    "not valid YAML: found a tab; what is indented is so by spaces");
  else if (parser->context)
    firn_report_add(b->report, mark_of(b, parser->problem_mark), "",
                    "not valid YAML: %s (%s that begins at %d:%d)%s", problem, parser->context,
                    (int)parser->context_mark.line + 1, (int)parser->context_mark.column + 1,
                    syntax_hint(text, size, parser->problem_mark.line));
  else
    firn_report_add(b->report, mark_of(b, parser->problem_mark), "", "not valid YAML: %s%s",
                    problem, syntax_hint(text, size, parser->problem_mark.line));
}

// Reads no further than to where lists and maps are nested too deeply: libyaml's time grows as the
// square of the depth.
static bool is_shallow(builder *b, const char *text, size_t size) {
  yaml_parser_t parser;
  yaml_event_t event;
  int depth = 0;
  if (!yaml_parser_initialize(&parser)) {
    b->arena->failed = true;
    return false;
  }
  yaml_parser_set_input_string(&parser, (const unsigned char *)text, size);
  bool good = true;
  for (bool more = true; more && good; yaml_event_delete(&event)) {
    if (!yaml_parser_parse(&parser, &event)) break; // whoever builds the tree says what is wrong
    more = event.type != YAML_STREAM_END_EVENT;
    depth += event.type == YAML_SEQUENCE_START_EVENT || event.type == YAML_MAPPING_START_EVENT;
    depth -= event.type == YAML_SEQUENCE_END_EVENT || event.type == YAML_MAPPING_END_EVENT;
    good = depth <= DEPTH_MOST;
    if (!good)
      firn_report_add(b->report, mark_of(b, event.start_mark), "",
                      "nested too deeply: more than %d lists and maps", DEPTH_MOST);
  }
  yaml_parser_delete(&parser);
  return good;
}

static firn_node *empty_scalar(const builder *b) {
  firn_node *node = firn_arena_alloc(b->arena, sizeof *node);
  if (!node) return NULL;
  *node = (firn_node){.kind = FIRN_NODE_SCALAR, .text = "", .mark = b->base};
  node->mark.line = node->mark.column = 1;
  return node;
}

firn_node *firn_node_parse(firn_arena *arena, firn_report *report, const char *text, size_t size,
                           firn_mark base) {
  yaml_parser_t parser;
  yaml_document_t document, rest;
  builder b = {.arena = arena, .report = report, .document = &document, .base = base};
  if (!is_shallow(&b, text, size)) return NULL;
  if (!yaml_parser_initialize(&parser)) {
    arena->failed = true;
    return NULL;
  }
  yaml_parser_set_input_string(&parser, (const unsigned char *)text, size);
  firn_node *root = NULL;
  if (!yaml_parser_load(&parser, &document)) {
    if (parser.error == YAML_MEMORY_ERROR)
      arena->failed = true;
    else
      report_syntax(&b, &parser, text, size);
    yaml_parser_delete(&parser);
    return NULL;
  }
  if (!yaml_document_get_root_node(&document)) {
    root = empty_scalar(&b);
  } else {
    root = convert(&b, 1, 0); // nodes are numbered from 1, the root first
    // One document a file: a second one would be ignored in silence.
    if (!yaml_parser_load(&parser, &rest)) {
      report_syntax(&b, &parser, text, size);
    } else {
      const yaml_node_t *second = yaml_document_get_root_node(&rest);
      if (second)
        firn_report_add(report, mark_of(&b, second->start_mark), "",
                        "a second document begins here; expected one document");
      yaml_document_delete(&rest);
    }
  }
  yaml_document_delete(&document);
  yaml_parser_delete(&parser);
  return b.stopped ? NULL : root;
}
