" X10 2.6
if exists("b:current_syntax") | finish | endif

syn keyword x10Parallel async at ateach athome atomic clocked finish offer when
syn keyword x10Statement assert break case catch continue default do else finally for if or return switch throw throws try while
syn keyword x10Operator as extends haszero implements in instanceof isref new
syn keyword x10Include import package
syn keyword x10Declaration class def interface operator property struct type val var void
syn keyword x10Modifier abstract final native private protected public static transient
syn keyword x10Special here self super this
syn keyword x10Constant false null true
syn match x10Type /\<[A-Z][A-Za-z0-9_]*\>/
syn match x10Annotation /@[A-Za-z_][A-Za-z0-9_.]*/
syn match x10Number /\<0[xX][0-9a-fA-F_]\+[uU]\?[lLnNsSyY]\?\>/
syn match x10Number /\<[0-9][0-9_]*\(\.[0-9][0-9_]*\)\?\([eE][+-]\?[0-9]\+\)\?[uUlLnNsSyYfFdD]*\>/
syn match x10Escape /\\\(u\+[0-9A-Fa-f]\{4}\|[0-7]\{1,3}\|.\)/ contained
syn region x10String start=/"/ skip=/\\./ end=/"\|\([;{}]\)\@<=\s*$/ contains=x10Escape
syn match x10Character /'\(\\.[^']*\|[^'\\]\)'/
syn keyword x10Todo TODO FIXME XXX contained
syn match x10Comment "//.*$" contains=x10Todo,@Spell
syn region x10Comment start="/\*" end="\*/" contains=x10Todo,@Spell

hi def link x10Parallel Keyword
hi def link x10Statement Statement
hi def link x10Operator Operator
hi def link x10Include Include
hi def link x10Declaration Structure
hi def link x10Modifier StorageClass
hi def link x10Special Special
hi def link x10Constant Boolean
hi def link x10Type Type
hi def link x10Annotation PreProc
hi def link x10Number Number
hi def link x10Escape SpecialChar
hi def link x10String String
hi def link x10Character Character
hi def link x10Todo Todo
hi def link x10Comment Comment

let b:current_syntax = "x10"
