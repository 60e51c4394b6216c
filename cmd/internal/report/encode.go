package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
)

// encode is json.MarshalIndent but for two things. A float that is not
// finite becomes null, where encoding/json would refuse the whole document
// and lose the run with it. Two fields of one name are an error, where
// encoding/json would silently drop both.
//
// Struct fields must be exported or tagged "-", not embedded; of the tag's
// options omitempty is known. The tests hold it against encoding/json.
func encode(v any) ([]byte, error) {
	var compact, indented bytes.Buffer
	if err := encodeValue(&compact, reflect.ValueOf(v)); err != nil {
		return nil, err
	}
	if err := json.Indent(&indented, compact.Bytes(), "", "  "); err != nil {
		return nil, err
	}
	indented.WriteByte('\n')
	return indented.Bytes(), nil
}

func encodeValue(b *bytes.Buffer, v reflect.Value) error {
	if v.IsValid() && v.Kind() != reflect.Pointer && v.Type().Implements(reflect.TypeFor[json.Marshaler]()) {
		return encodeLeaf(b, v)
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			b.WriteString("null")
			return nil
		}
		return encodeValue(b, v.Elem())
	case reflect.Float32, reflect.Float64:
		if f := v.Float(); math.IsNaN(f) || math.IsInf(f, 0) {
			b.WriteString("null")
			return nil
		}
		return encodeLeaf(b, v)
	case reflect.Struct:
		return encodeStruct(b, v)
	case reflect.Map:
		return encodeMap(b, v)
	case reflect.Slice:
		if v.IsNil() {
			b.WriteString("null")
			return nil
		}
		b.WriteByte('[')
		for i := range v.Len() {
			separate(b, '[')
			if err := encodeValue(b, v.Index(i)); err != nil {
				return err
			}
		}
		b.WriteByte(']')
		return nil
	default:
		return encodeLeaf(b, v)
	}
}

func encodeStruct(b *bytes.Buffer, v reflect.Value) error {
	seen := make(map[string]bool)
	b.WriteByte('{')
	for i := range v.NumField() {
		field := v.Type().Field(i)
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name == "-" {
			continue
		}
		if name == "" {
			name = field.Name
		}
		if seen[name] {
			return fmt.Errorf("%v has two fields %q", v.Type(), name)
		}
		seen[name] = true
		if options == "omitempty" && empty(v.Field(i)) {
			continue
		}
		separate(b, '{')
		if err := encodeMember(b, name, v.Field(i)); err != nil {
			return err
		}
	}
	b.WriteByte('}')
	return nil
}

func encodeMap(b *bytes.Buffer, v reflect.Value) error {
	if v.IsNil() {
		b.WriteString("null")
		return nil
	}
	keys := v.MapKeys()
	slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
	b.WriteByte('{')
	for _, key := range keys {
		separate(b, '{')
		if err := encodeMember(b, key.String(), v.MapIndex(key)); err != nil {
			return err
		}
	}
	b.WriteByte('}')
	return nil
}

func encodeMember(b *bytes.Buffer, name string, v reflect.Value) error {
	if err := encodeLeaf(b, reflect.ValueOf(name)); err != nil {
		return err
	}
	b.WriteByte(':')
	return encodeValue(b, v)
}

// encodeLeaf hands what has no float inside to encoding/json. HTML is not
// escaped: the document is no web page, and "<" is good to read.
func encodeLeaf(b *bytes.Buffer, v reflect.Value) error {
	enc := json.NewEncoder(b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v.Interface()); err != nil {
		return err
	}
	b.Truncate(b.Len() - 1) // Encode's newline
	return nil
}

// separate puts the comma before every element but the first after open.
func separate(b *bytes.Buffer, open byte) {
	if b.Bytes()[b.Len()-1] != open {
		b.WriteByte(',')
	}
}

// empty is what encoding/json means by omitempty.
func empty(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Slice, reflect.Map, reflect.String, reflect.Array:
		return v.Len() == 0
	case reflect.Struct:
		return false
	default:
		return v.IsZero()
	}
}
